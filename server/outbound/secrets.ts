/** Shorter texts are rather a word of the service than a secret. */
const MIN_SECRET_CHARACTERS = 6

/** Words of a service without the secrets of the credentials that it was sent: it may repeat them. */
export function withoutSecrets(data: unknown, words: string): string {
  // The longest first, since one may be part of another.
  const secrets = secretsIn(data).sort((one, other) => other.length - one.length)
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, '…'), words)
}

/** All texts of credentials but addresses of services, at any depth. */
function secretsIn(value: unknown): string[] {
  if (typeof value === 'string') {
    return value.length >= MIN_SECRET_CHARACTERS && !/^https?:\/\//i.test(value) ? [value] : []
  }
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(secretsIn) : []
}
