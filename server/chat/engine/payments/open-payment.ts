/** A payment at its vendor, as it was requested. Later data of the vendor has to agree with it. */
export interface OpenPayment {
  /** The block of the payment, and its bot. */
  botId: string
  blockId: string
  id: string
  url: string
  /** The session, as it was sent to the vendor. */
  reference: string
  /** In the smallest unit of the currency. */
  units: number
  currency: string
  isLive: boolean
  credentialsId: string
  /** Present where the form of the vendor takes the payment, instead of its page. */
  form?: { publicKey: string; clientSecret: string }
  /** True while a bank confirms it, as far as the vendor has said. */
  isPending?: boolean
}
