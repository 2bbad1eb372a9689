import data from '@mdn/browser-compat-data/forLegacyNode'
import { browsers } from './browsers.mjs'

/*
 * Rejects in the scripts of pages what the promised browsers lack: globals, functions of globals, and members whose
 * name no older object has. The data of MDN says which those are.
 */

const names = { safari: 'safari', ios_saf: 'safari_ios', chrome: 'chrome', edge: 'edge', firefox: 'firefox' }
const oldest = browsers.map((browser) => browser.split(' ')).map(([name, version]) => [names[name], version])

const number = (version) => version.replace('≤', '').split('.').map(Number)

function isLater(added, than) {
  const [[major, minor = 0], [lastMajor, lastMinor = 0]] = [added, than].map(number)
  return major > lastMajor || (major === lastMajor && minor > lastMinor)
}

/** Absent data counts as support: it is about what no browser ever lacked. */
function isSupported({ support }) {
  return oldest.every(([browser, version]) => {
    return [support[browser] ?? { version_added: '1' }].flat().some((statement) => {
      const { version_added: added, version_removed: removed, flags, alternative_name: other } = statement
      const isThere = typeof added === 'string' && added !== 'preview' && !isLater(added, version)
      const isGone = typeof removed === 'string' && !isLater(removed, version)
      return isThere && !isGone && !flags && !other
    })
  })
}

const objects = Object.entries({ ...data.api, ...data.javascript.builtins }).filter(
  ([, { __compat: compat }]) => compat,
)
const members = objects.flatMap(([object, { __compat: _, ...rest }]) =>
  Object.entries(rest)
    .filter(([name, { __compat: compat }]) => compat && /^[a-z]\w*$/.test(name))
    .map(([name, { __compat: compat }]) => {
      const isOfLanguage = data.javascript.builtins[object] !== undefined
      const isStatic = name.endsWith('_static') || isOfLanguage
      const property = name.replace(/_static$/, '')
      return { object, property, isStatic, isOfLanguage, isOld: isSupported(compat) }
    }),
)
const nameOf = ({ property }) => property
const oldNames = new Set(members.filter(({ isOld }) => isOld).map(nameOf))
const message = 'The oldest browsers that README.md promises lack it.'

export default [
  {
    files: ['**/*.js'],
    languageOptions: { sourceType: 'module', ecmaVersion: 2022 },
    rules: {
      'no-restricted-globals': [
        'error',
        ...objects
          .filter(([, { __compat: compat }]) => !isSupported(compat))
          .map(([name]) => ({ name, message })),
      ],
      'no-restricted-properties': [
        'error',
        ...members
          .filter(({ isOld, isStatic }) => !isOld && isStatic)
          .map(({ object, property }) => ({ object, property, message })),
        // Methods of any object: those of the language alone, since properties of objects of pages have many names.
        ...[...new Set(members.filter(({ isOld, isOfLanguage }) => !isOld && isOfLanguage).map(nameOf))]
          .filter((property) => !oldNames.has(property))
          .map((property) => ({ property, message })),
      ],
    },
  },
]
