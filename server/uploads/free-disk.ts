import { statfs } from 'node:fs/promises'

/** On a small disk so much of it is floor enough. */
const MAX_FLOOR_SHARE = 0.05

/**
 * True if each disk of the folders retains its minimum of free space after this many more bytes. A missing folder has
 * none.
 */
export async function hasFreeDisk(
  folders: readonly string[],
  bytes: number,
  floorBytes: number,
): Promise<boolean> {
  const disks = await Promise.all(folders.map((folder) => statfs(folder).catch(() => undefined)))
  return disks.every((disk) => {
    if (!disk) return true
    const floor = Math.min(floorBytes, MAX_FLOOR_SHARE * disk.blocks * disk.bsize)
    return disk.bavail * disk.bsize - bytes >= floor
  })
}
