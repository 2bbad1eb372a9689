import { defineConfig } from '@kubb/core'
import { pluginClient } from '@kubb/plugin-client'
import { pluginOas } from '@kubb/plugin-oas'
import { pluginTs } from '@kubb/plugin-ts'

export default defineConfig({
  input: { path: '../../../openapi.yaml' },
  output: { path: 'generated', clean: true },
  plugins: [
    // No copies of the schemas as JSON.
    pluginOas({ generators: [] }),
    pluginTs({ output: { path: 'types' } }),
    // The whole answer: its status tells a rejection from a success.
    pluginClient({ output: { path: 'clients' }, client: 'fetch', bundle: true, dataReturnType: 'full' }),
  ],
})
