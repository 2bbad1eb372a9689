/** The oldest browsers that the pages promise, as README.md names them. */
export const browsers = ['safari 16.4', 'ios_saf 16.4', 'chrome 111', 'edge 111', 'firefox 115']
