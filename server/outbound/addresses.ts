/** Recognises public addresses, in all the forms that hide private ones. */
import { BlockList, isIP, isIPv4 } from 'node:net'

/** True if packets to this address stay on the public Internet; false for anything but a plain public address. */
export function isPublicAddress(address: string): boolean {
  const plain = address.split('%')[0] ?? ''
  if (isIPv4(plain)) return !privateIPv4.check(plain, 'ipv4')
  if (isIP(plain) !== 6) return false
  const words = wordsOfIPv6(plain)
  if (words === null) return false
  const embedded = embeddedIPv4(words)
  if (embedded !== null) return !privateIPv4.check(embedded, 'ipv4')
  return globalIPv6.check(plain, 'ipv6') && !specialIPv6.check(plain, 'ipv6')
}

function blockList(type: 'ipv4' | 'ipv6', subnets: [string, number][]): BlockList {
  const list = new BlockList()
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, type)
  return list
}

const privateIPv4 = blockList('ipv4', [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
])

const globalIPv6 = blockList('ipv6', [['2000::', 3]])

/** Parts of the global space that are protocol assignments (Teredo among them) or documentation. */
const specialIPv6 = blockList('ipv6', [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['3fff::', 20],
])

/** The IPv4 address that packets to this IPv6 address end up at, for the forms that carry one. */
function embeddedIPv4(words: number[]): string | null {
  const [first = 0, second = 0, third = 0] = words
  const isZeroUpTo = (end: number) => words.slice(0, end).every((word) => word === 0)
  const isMapped = isZeroUpTo(5) && words[5] === 0xffff
  const isTranslated = isZeroUpTo(4) && words[4] === 0xffff && words[5] === 0
  const isCompatible = isZeroUpTo(6)
  const isNat64 = first === 0x64 && second === 0xff9b && words.slice(2, 6).every((word) => word === 0)
  if (isMapped || isTranslated || isCompatible || isNat64) return toDotted(words[6] ?? 0, words[7] ?? 0)
  if (first === 0x2002) return toDotted(second, third)
  return null
}

function toDotted(high: number, low: number): string {
  return [high >> 8, high & 255, low >> 8, low & 255].join('.')
}

/** The eight 16-bit words of an IPv6 address in any notation. */
function wordsOfIPv6(address: string): number[] | null {
  if (!URL.canParse(`http://[${address}]`)) return null
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1)
  const [left = '', right] = canonical.split('::')
  const words = (part: string) =>
    part === '' ? [] : part.split(':').map((word) => Number.parseInt(word, 16))
  const before = words(left)
  const after = words(right ?? '')
  if (right === undefined) return before
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}
