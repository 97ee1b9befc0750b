/** `@lachesis/sdk/hub`: files to a Hugging Face compatible hub. What comes from there comes with tokenizers. */
export { HubError } from './hub-error.ts';
export { pushToHub } from './push-to-hub.ts';
