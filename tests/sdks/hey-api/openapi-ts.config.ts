import { defineConfig } from '@hey-api/openapi-ts'

export default defineConfig({
  input: '../../../openapi.yaml',
  output: 'generated',
  plugins: ['@hey-api/typescript', '@hey-api/client-fetch', '@hey-api/sdk'],
})
