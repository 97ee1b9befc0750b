import { z } from 'zod';

/** How fields of Atropos are described that mean nothing here: files may have them, and nobody can set them. */
export const UNUSED = 'accepted for old files; not used';

/** One inference server, as in the list `openai` of the configuration. */
export const serverConfigSchema = z.object({
  base_url: z.string().default('').describe('address with /v1, such as http://localhost:8001/v1'),
  model_name: z.string().default('default').describe('model to ask for'),
  api_key: z.string().default('').meta({ secret: true }).describe('key, if the server wants one'),
  server_type: z
    .enum(['openai', 'vllm', 'sglang', 'trl', 'ollama', 'openrouter'])
    .default('openai')
    .describe('what runs there: which fields it is sent, and where its tokens come from'),
  health_check: z.boolean().default(true).describe('ask for its health before use'),
  weight: z.number().min(0).default(1).describe('share of requests among several servers'),
  num_requests_for_eval: z.int().min(1).default(64).describe('most evaluation requests in flight'),
  num_max_requests_at_once: z.int().min(1).default(512).describe('most requests in flight'),
  timeout: z.number().gt(0).default(1200).describe('seconds a request may take'),
  tokenizer_name: z
    .string()
    .optional()
    .describe(
      'sglang: the tokenizer of its model, for versions whose chat replies have no token ids (default: model_name)',
    ),
  extra_body: z.record(z.string(), z.unknown()).optional().describe('further fields of each request'),
  rolling_buffer_length: z.int().optional().describe(UNUSED),
  n_kwarg_is_ignored: z.boolean().default(false).describe('the server ignores n: ask once for each reply'),
});

export type ServerConfig = z.infer<typeof serverConfigSchema>;
export type ServerConfigInput = z.input<typeof serverConfigSchema>;
