import { LachesisError } from '@lachesis/protocol';

/** A model that can be asked. */
export interface TestServer {
  /** With /v1. */
  url: string;
  /** As the server calls it. */
  model: string;
  apiKey?: string | undefined;
  /** The run whose policy it is; it is asked with a token of that run. */
  runId?: string | undefined;
  /** What people know it by, for file names and replies. */
  label: string;
}

/** What there is to ask. */
export interface ServerChoices {
  /** The policies of runs that are going on, by the id people see. */
  active: readonly { runId: string; url: string }[];
  /** The server of the recipe or of OPENAI_BASE_URL, when it is not the trainer itself. */
  configured?: { url: string; model?: string | undefined; apiKey?: string | undefined } | undefined;
  /** The gateway that was started beside this server, and a key for it. */
  gateway?: { url: string; apiKey?: string | undefined } | undefined;
  openRouterKey?: string | undefined;
}

const OPENROUTER_URL = 'https://openrouter.ai/api/v1';

/** Three of different makers and sizes: what all of them get wrong is wrong with the environment. */
export const DEFAULT_MODELS = Object.freeze(['qwen/qwen3-8b', 'z-ai/glm-4.7-flash', 'minimax/minimax-m2.7'] as const);

/** Whom to ask: the policy of the run, the configured server, or models of OpenRouter. Nothing is ever guessed. */
export function chooseServers(
  { runId, models }: { runId?: string | undefined; models?: readonly string[] | undefined },
  { active, configured, gateway, openRouterKey }: ServerChoices,
): TestServer[] {
  if (runId !== undefined) {
    const run = active.find((each) => each.runId === runId);
    if (run !== undefined) return [policyOf(run)];
    throw new LachesisError({
      code: 'conflict',
      message: `run ${JSON.stringify(runId.slice(0, 100))} serves no policy now`,
      hint:
        active.length === 0
          ? 'No run is going on. Leave run_id out to ask the configured server.'
          : `Runs that do: ${active.map((each) => each.runId).join(', ')}.`,
    });
  }
  const [only] = active;
  if (models === undefined && only !== undefined && active.length === 1) return [policyOf(only)];
  if (configured !== undefined) {
    const names = models ?? [configured.model ?? 'default'];
    return names.map((model) => ({ url: configured.url, model, apiKey: configured.apiKey, label: model }));
  }
  const hasOpenRouter = openRouterKey !== undefined && openRouterKey !== '';
  // It has one model; who names others means the ones of OpenRouter.
  if (gateway !== undefined && (models === undefined || !hasOpenRouter)) {
    return (models ?? ['default']).map((model) => ({
      ...{ url: gateway.url, model, apiKey: gateway.apiKey, label: model === 'default' ? 'gateway' : model },
    }));
  }
  if (hasOpenRouter) {
    return (models ?? DEFAULT_MODELS).map((model) => ({
      ...{ url: OPENROUTER_URL, model, apiKey: openRouterKey, label: model },
    }));
  }
  throw new LachesisError({
    code: 'conflict',
    message:
      active.length > 1
        ? `${active.length} runs are going on, and no other model server is configured`
        : 'no model server is configured, and no run is going on',
    hint:
      (active.length > 1 ? `Give run_id (${active.map((each) => each.runId).join(', ')}), or ` : 'Four choices: ') +
      'OpenRouter (OPENROUTER_API_KEY); a vLLM or SGLang server of your own (OPENAI_BASE_URL=http://…/v1); Ollama ' +
      '(OPENAI_BASE_URL=http://localhost:11434/v1); any other OpenAI-compatible API (OPENAI_BASE_URL and ' +
      'OPENAI_API_KEY). All are variables of the control server. Or start a run: its own policy is asked then.',
  });
}

const policyOf = ({ runId, url }: { runId: string; url: string }): TestServer => ({
  ...{ url, model: 'default', label: `run-${runId}`, runId },
});
