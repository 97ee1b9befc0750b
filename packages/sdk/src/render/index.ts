/** `@lachesis/sdk/render`: between messages and tokens, as the model's own template and tokenizer have it. */
export { createToolCallParser, parseToolCalls } from './calls/create-tool-call-parser.ts';
export { RenderError } from './errors/render-error.ts';
export { checkTemplateTools } from './messages/check-template-tools.ts';
export { checkPrefixExtension } from './messages/check-prefix-extension.ts';
export type { TemplateMessage, Tool } from './messages/message.ts';
export { parseReply } from './messages/parse-reply.ts';
export { renderMessages } from './messages/render-messages.ts';
export { renderTraining } from './messages/render-training.ts';
export { formatPythonJson } from './python/format-python-json.ts';
export { parseJson } from './python/parse-json.ts';
export type { PythonJsonValue } from './python/parse-json.ts';
export { PythonFloat } from './python/python-float.ts';
export type { HubProgress } from '../hub/download-blob.ts';
export { probeNativeTokenizers } from './tokenizer/probe-native.ts';
export { loadTokenizer } from './tokenizer/load-tokenizer.ts';
export type { Tokenizer } from './tokenizer/tokenizer.ts';
