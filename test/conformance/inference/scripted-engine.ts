import { FakeServer } from '../../../packages/tinker/src/testing/fake-server.fixture.ts';

/** What the engine was asked, and what it answered. */
export interface EngineSample {
  readonly prompt: readonly number[];
  readonly samples: number;
  readonly params: Readonly<Record<string, unknown>>;
  readonly sequences: readonly EngineSequence[];
}

export interface EngineSequence {
  readonly tokens: readonly number[];
  readonly logprobs: readonly number[];
}

export interface ScriptedEngine extends AsyncDisposable {
  readonly url: string;
  /** Every sample but the first, by which the server sees that the engine answers. */
  readonly samples: EngineSample[];
}

/** Decides the tokens of one sequence. */
export type EngineScript = (sample: { prompt: readonly number[]; count: number; index: number }) => readonly number[];

/** A Tinker server that samples what a script says; everything else about it is the fake server of the client's tests. */
export async function startScriptedEngine(script: EngineScript): Promise<ScriptedEngine> {
  const samples: EngineSample[] = [];
  const results = new Map<string, EngineSample>();
  let count = 0;
  const engine = await FakeServer.start({
    fault: ({ path, body }) => {
      if (path === 'asample') {
        const sample = answer(script, body as AsampleBody, count);
        const id = `scripted-${count}`;
        count += 1;
        results.set(id, sample);
        if (count > 1) samples.push(sample);
        return { kind: 'status', status: 200, body: { request_id: id } };
      }
      const result = results.get(String((body as { request_id?: unknown } | null)?.request_id));
      if (path !== 'retrieve_future' || result === undefined) return undefined;
      const sequences = result.sequences.map(({ tokens, logprobs }) => ({ tokens, logprobs, stop_reason: 'stop' }));
      // Nothing comes before the first token that it could be likely after.
      const scores = result.prompt.map((token, place) => (place === 0 ? null : -token));
      return { kind: 'status', status: 200, body: { sequences, prompt_logprobs: scores } };
    },
  });
  return { url: engine.url, samples, [Symbol.asyncDispose]: () => engine.close() };
}

interface AsampleBody {
  readonly prompt: { readonly chunks: readonly { readonly tokens: readonly number[] }[] };
  readonly num_samples?: number;
  readonly sampling_params: Readonly<Record<string, unknown>>;
}

function answer(script: EngineScript, body: AsampleBody, count: number): EngineSample {
  const prompt = body.prompt.chunks.flatMap(({ tokens }) => [...tokens]);
  const samples = body.num_samples ?? 1;
  const limit = Number(body.sampling_params['max_tokens'] ?? 16);
  const sequences = Array.from({ length: samples }, (_, index) => {
    const tokens = script({ prompt, count, index }).slice(0, limit);
    // What float32 holds exactly, and different at every place.
    const logprobs = tokens.map((token, place) => Math.fround(-0.1 - ((token * 31 + place) % 97) / 13));
    return { tokens, logprobs };
  });
  return { prompt, samples, params: body.sampling_params, sequences };
}
