import { defineConfig } from 'orval'

export default defineConfig({
  service: {
    input: '../../../openapi.yaml',
    output: {
      client: 'fetch',
      mode: 'tags-split',
      target: 'generated/api.ts',
      schemas: 'generated/model',
      clean: true,
      override: { mutator: { path: 'service-fetch.ts', name: 'serviceFetch' } },
    },
  },
})
