import { MODEL, startChatServer, type ChatServer } from '../strict-servers/start-chat-server.ts';
import { REFUSALS } from '../strict-servers/start-strict-server.ts';
import { checkRequest, readClasses, type RequestFault, type ServerName } from './check-request.ts';

export interface SchemaServerOptions {
  readonly name: ServerName;
  /** An older SGLang: its chat replies have no ids. */
  readonly hasChatIds?: boolean;
}

type Body = Readonly<Record<string, unknown>>;

/** A server that checks each request by the classes of a real one, and answers in that server's form. */
export function startSchemaServer({ name, hasChatIds = true }: SchemaServerOptions): Promise<ChatServer> {
  const classes = readClasses(name);
  return startChatServer({
    paths: ['/v1/chat/completions', ...(classes.generate === undefined ? [] : ['/generate'])],
    answer: (body, path) => {
      const fault = checkRequest(classes, path, body);
      if (fault !== undefined) return { ...refuse(name, fault), refused: fault.field };
      return { body: path === '/generate' ? generate() : chat(name, body, hasChatIds) };
    },
  });
}

function refuse(name: ServerName, { field, isUnknown }: RequestFault): { status: number; body: object } {
  if (name === 'ollama') return { status: 400, body: { error: { message: `json: unknown field "${field}"` } } };
  if (!isUnknown) return { status: 400, body: { error: { message: `Invalid type for '${field}'.`, param: field } } };
  return name === 'openai' ? REFUSALS.openai(field) : REFUSALS.pydantic(field);
}

const TEXT = 'The answer is \\boxed{4}.';
const VERDICT = '{"reason":"right","abstain":false,"score":1}';
const IDS = [101, 102, 103];

/** As each server words it: who has ids tells them when asked, and under its own names. */
function chat(name: ServerName, body: Body, hasChatIds: boolean): object {
  const isTold = (field: string): boolean => hasChatIds && body[field] === true;
  const logprobs = { content: IDS.map((id) => ({ token: `t${id}`, logprob: -0.5, bytes: null, top_logprobs: [] })) };
  const ids =
    name === 'vllm' && isTold('return_token_ids')
      ? { token_ids: IDS }
      : name === 'sglang'
        ? {
            ...(isTold('return_prompt_token_ids') ? { prompt_token_ids: [1, 2] } : {}),
            ...(isTold('return_token_ids') ? { response_token_ids: IDS } : {}),
          }
        : {};
  const content = body['response_format'] === undefined ? TEXT : VERDICT;
  const count = name === 'ollama' ? 1 : Number(body['n'] ?? 1);
  return {
    ...{ id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: MODEL },
    ...(name === 'vllm' && isTold('return_token_ids') ? { prompt_token_ids: [1, 2] } : {}),
    choices: Array.from({ length: count }, (_, index) => ({
      ...{ index, finish_reason: 'stop', message: { role: 'assistant', content } },
      ...(body['logprobs'] === true ? { logprobs } : {}),
      ...ids,
    })),
    usage: { prompt_tokens: 2, completion_tokens: 3 * count, total_tokens: 2 + 3 * count },
  };
}

const generate = (): object => ({
  text: TEXT,
  output_ids: IDS,
  meta_info: {
    ...{ id: '1', prompt_tokens: 2, completion_tokens: 3, finish_reason: { type: 'stop', matched: 103 } },
    output_token_logprobs: IDS.map((id) => [-0.5, id, null]),
  },
});
