import { safeUrl } from './dom.js'
import { announce, rememberedPage } from './payment-channel.js'

/* The page that visitors come back to from the vendor of a payment. The chat goes on in the tab that they left. */

announce(new URLSearchParams(location.search).get('payment') ?? '')

const address = safeUrl(rememberedPage())
if (address) {
  const back = document.getElementById('back')
  back.href = address
  back.hidden = false
}

// Browsers close only tabs that a script or a link has opened; in others the text gives the next step.
close()
