/** `@lachesis/sdk/hub`: data sets from a Hugging Face compatible hub, and files to it. Tokenizers come with `@lachesis/sdk/render`. */
export { readHubDataset } from './dataset/read-hub-dataset.ts';
export { HubError } from './hub-error.ts';
export { pushToHub } from './push-to-hub.ts';
