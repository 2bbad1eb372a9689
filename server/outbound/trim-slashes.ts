/** An address without slashes at its end, so that a path can follow it. */
export function trimSlashes(address: string): string {
  let end = address.length
  while (address[end - 1] === '/') end--
  return address.slice(0, end)
}
