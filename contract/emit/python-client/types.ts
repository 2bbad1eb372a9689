import { isName } from '../../kit/emit/python-names.ts'
import { type JsonObject, nameOf } from '../../kit/emit/schemas.ts'

/* Schemas as Python types: an object is a TypedDict, everything else an alias. */

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  discriminator?: { propertyName: string; mapping: Record<string, string> }
  description?: string
  title?: string
}

interface Definition {
  name: string
  text: string
  /** Names that must be defined before it. */
  needs: string[]
}

/**
 * Module of all types. Classes come first, since Python evaluates their annotations lazily, but aliases immediately.
 */
export function toTypes(schemas: Record<string, JsonObject>): string {
  const classes: Definition[] = []
  const aliases: Definition[] = []
  const tags = tagsOf(schemas as Record<string, Schema>)
  for (const [name, schema] of Object.entries(schemas as Record<string, Schema>)) {
    if (schema.properties) define(name, withTag(schema, tags.get(name)), classes)
    else {
      const type = typeOf(schema, name, classes)
      aliases.push({
        name,
        text: `${name}: TypeAlias = ${type}\n${documentation(schema, '')}`,
        needs: namesIn(type),
      })
    }
  }
  const names = [...classes, ...aliases].map(({ name }) => name)
  const twice = names.filter((name, at) => names.indexOf(name) !== at)
  if (twice.length > 0) throw new Error(`Types of Python with one name: ${twice.join(', ')}`)
  return [...classes.map(({ text }) => text), ...inOrder(aliases).map(({ text }) => text)].join('\n')
}

/** Type of a schema as an expression. Objects within it become classes named after their position. */
export function typeOf(schema: Schema, position: string, classes: Definition[]): string {
  if (schema.$ref) return nameOf(schema.$ref)
  if (schema.enum) return `Literal[${schema.enum.map(literal).join(', ')}]`
  if (schema.oneOf) {
    const types = schema.oneOf.map((branch, at) => typeOf(branch, `${position}Choice${at + 1}`, classes))
    return [...new Set(types)].join(' | ')
  }
  const kinds = [schema.type ?? []].flat()
  if (kinds.length === 0) return 'Any'
  return kinds
    .map((kind) => {
      if (kind === 'array') return `list[${typeOf(schema.items ?? {}, `${position}Item`, classes)}]`
      if (kind !== 'object') return plain[kind] as string
      const { properties, additionalProperties: rest } = schema
      if (!properties)
        return `dict[str, ${typeof rest === 'object' ? typeOf(rest, `${position}Value`, classes) : 'Any'}]`
      define(position, schema, classes)
      return position
    })
    .join(' | ')
}

const plain: Record<string, string> = {
  string: 'str',
  integer: 'int',
  number: 'float',
  boolean: 'bool',
  null: 'None',
}

function define(name: string, schema: Schema, classes: Definition[]) {
  const { properties = {}, required = [] } = schema
  const fields = Object.entries(properties).map(([property, value]) => {
    const type = typeOf(value, name + property.charAt(0).toUpperCase() + property.slice(1), classes)
    const isRequired = required.includes(property)
    return { property, value, type: isRequired ? type : `NotRequired[${type}]` }
  })
  const text = fields.every(({ property }) => isName(property))
    ? [
        `class ${name}(TypedDict):`,
        documentation(schema, '    '),
        ...fields.map(
          ({ property, type, value }) => `    ${property}: ${type}\n${documentation(value, '    ')}`,
        ),
        ...(fields.length === 0 && !schema.description ? ['    pass\n'] : []),
      ].join('\n')
    : [
        `${name} = TypedDict(`,
        `    "${name}",`,
        '    {',
        ...fields.map(({ property, type }) => `        ${JSON.stringify(property)}: ${quoteType(type)},`),
        '    },',
        ')',
        documentation(schema, ''),
      ].join('\n')
  classes.push({ name, text, needs: [] })
}

/** Quotes a name that may be defined later, since Python evaluates it when it loads the module. */
function quoteType(type: string): string {
  const [, inner] = /^NotRequired\[(.*)\]$/.exec(type) ?? []
  return inner === undefined ? JSON.stringify(type) : `NotRequired[${JSON.stringify(inner)}]`
}

function documentation({ description }: Schema, indent: string): string {
  return description === undefined ? '' : `${indent}${docstring(description)}\n`
}

/** Renders a docstring. Quotation marks in the text must not end it early. */
export function docstring(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"""', '\\"\\"\\"')
  return `"""${escaped.replace(/"$/, '\\"')}"""`
}

function literal(value: unknown): string {
  return value === null ? 'None' : JSON.stringify(value)
}

/**
 * Tags of branches for unknown values: their own name, as in the TypeScript types. With a plain text as tag, narrowing
 * a union would never exclude the branch.
 */
function tagsOf(schemas: Record<string, Schema>): Map<string, [property: string, value: string]> {
  return new Map(
    Object.values(schemas).flatMap(({ discriminator }) =>
      Object.entries(discriminator?.mapping ?? {}).flatMap(([value, reference]) =>
        value === nameOf(reference) ? [[value, [discriminator?.propertyName ?? '', value]] as const] : [],
      ),
    ),
  ) as Map<string, [string, string]>
}

function withTag(schema: Schema, tag: [property: string, value: string] | undefined): Schema {
  if (!tag) return schema
  const [property, value] = tag
  const tagged = { ...schema.properties?.[property], enum: [value] }
  return { ...schema, properties: { ...schema.properties, [property]: tagged } }
}

function namesIn(type: string): string[] {
  return type.replaceAll(/"[^"]*"/g, '').match(/[A-Z]\w*/g) ?? []
}

/** Sorts aliases so that each follows those it uses. */
function inOrder(aliases: Definition[]): Definition[] {
  const ordered = new Set<Definition>()
  const visit = (alias: Definition, above: Definition[]) => {
    if (above.includes(alias)) throw new Error(`${alias.name} is made of itself`)
    for (const other of aliases) if (alias.needs.includes(other.name)) visit(other, [...above, alias])
    ordered.add(alias)
  }
  for (const alias of aliases) visit(alias, [])
  return [...ordered]
}
