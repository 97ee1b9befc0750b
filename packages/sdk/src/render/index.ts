/** `@lachesis/sdk/render`: between messages and tokens, as the model's own template and tokenizer have it. */
export { createToolCallParser, joinTexts, parseToolCalls } from './calls/create-tool-call-parser.ts';
export type { ToolCallParserOptions } from './calls/create-tool-call-parser.ts';
export type {
  MalformedCall,
  MalformedReason,
  TextDelta,
  ReadCall,
  ToolCallEvent,
  ToolCallParser,
} from './calls/tool-call-event.ts';
export { RenderError } from './errors/render-error.ts';
export type { RenderErrorKind, RenderErrorOptions } from './errors/render-error.ts';
export type { Family } from './families/detect-family.ts';
export { checkPrefixExtension } from './messages/check-prefix-extension.ts';
export type { PrefixExtensionOptions, PrefixExtensionReport, TurnReport } from './messages/check-prefix-extension.ts';
export type { TrainingIssue, TrainingSpan } from './messages/find-training-span.ts';
export type { RenderOptions, TemplateMessage, Tool } from './messages/message.ts';
export { parseReply } from './messages/parse-reply.ts';
export type { ParsedReply, ParseReplyOptions } from './messages/parse-reply.ts';
export { parseReplyText } from './messages/parse-reply-text.ts';
export type { ParseReplyTextOptions, ReadReply } from './messages/parse-reply-text.ts';
export type { ConversationOptions } from './messages/render-conversation.ts';
export { renderMessages } from './messages/render-messages.ts';
export type { RenderedMessages, RenderMessagesOptions } from './messages/render-messages.ts';
export { renderTraining } from './messages/render-training.ts';
export type { RenderedTraining, RenderTrainingOptions, TrainOn } from './messages/render-training.ts';
export { parseJson } from './python/parse-json.ts';
export type { JsonValue } from './python/parse-json.ts';
export { PythonFloat } from './python/python-float.ts';
export { renderTemplateText } from './template/render-template-text.ts';
export type { RenderTemplateTextOptions } from './template/render-template-text.ts';
export { HubError } from '../hub/hub-error.ts';
export type { HubErrorKind } from '../hub/hub-error.ts';
export type { HubProgress } from '../hub/fetch-snapshot.ts';
export { probeNativeTokenizers } from './tokenizer/probe-native.ts';
export { loadTokenizer } from './tokenizer/load-tokenizer.ts';
export type { LoadTokenizerOptions } from './tokenizer/load-tokenizer.ts';
export type { HubCacheEntry } from './tokenizer/model-files.ts';
export type { AddedToken } from './tokenizer/read-model-config.ts';
export type { DecodeOptions, EncodedText, EncodeOptions, Tokenizer } from './tokenizer/tokenizer.ts';
