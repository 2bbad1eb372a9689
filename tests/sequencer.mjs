import Sequencer from '@jest/test-sequencer'

/** Files that take longest, though not all of them are large. */
const long = /tests\/(replay|refusals|admin|chat-models|process[^/]*|browser\/[^/]*)\.test\.ts$/

/** Starts long files first, so that none is left to one worker at the end; else as Jest would. */
export default class extends Sequencer {
  sort(tests) {
    const inOrder = super.sort(tests)
    return [
      ...inOrder.filter(({ path }) => long.test(path)),
      ...inOrder.filter(({ path }) => !long.test(path)),
    ]
  }
}
