/** Programs that serve models and that we write the commands for. */
export const HAND_OFF_TARGETS = Object.freeze(['vllm', 'sglang', 'ollama', 'llamacpp'] as const);

export type HandOffTarget = (typeof HAND_OFF_TARGETS)[number];

export interface HandOffFacts {
  target: HandOffTarget;
  /** What the served model is called. */
  name: string;
  /** Absolute paths; merged is absent for an adapter alone. */
  out: string;
  adapter: string;
  merged: string | undefined;
  /** The name or the folder of the base model, as a server loads it. */
  base: string;
  rank: number;
}

export interface HandOffCommands {
  /** Files to write beside the weights, by name. */
  files: Readonly<Record<string, string>>;
  /** What to type, with a reason for each line where it needs one. */
  steps: readonly { what: string; command: string }[];
}

/** vLLM takes these ranks and no others. */
const VLLM_RANKS = [8, 16, 32, 64, 128, 256, 320, 512];

/** The commands that serve what was exported. */
export function planHandOff(facts: HandOffFacts): HandOffCommands {
  return { vllm: planVllm, sglang: planSglang, ollama: planOllama, llamacpp: planLlamaCpp }[facts.target](facts);
}

function planVllm({ name, adapter, merged, base, rank }: HandOffFacts): HandOffCommands {
  const most = VLLM_RANKS.find((known) => known >= rank) ?? rank;
  const loras = `--enable-lora --max-lora-rank ${most} --lora-modules ${quote(`${name}=${adapter}`)}`;
  return {
    files: {},
    steps: [
      ...(merged === undefined
        ? []
        : [{ what: 'serve the merged model', command: `vllm serve ${quote(merged)} --served-model-name ${name}` }]),
      { what: 'or serve the adapter beside its base model', command: `vllm serve ${quote(base)} ${loras}` },
      { what: 'ask it', command: ask('http://127.0.0.1:8000/v1', name) },
    ],
  };
}

/** SGLang reads the rank and the modules of an adapter from its files. */
function planSglang({ name, adapter, merged, base }: HandOffFacts): HandOffCommands {
  const loras = `--lora-paths ${quote(`${name}=${adapter}`)}`;
  return {
    files: {},
    steps: [
      ...(merged === undefined
        ? []
        : [
            {
              what: 'serve the merged model',
              command: `sglang serve --model-path ${quote(merged)} --served-model-name ${name}`,
            },
          ]),
      {
        what: 'or serve the adapter beside its base model',
        command: `sglang serve --model-path ${quote(base)} ${loras}`,
      },
      { what: 'ask it', command: ask('http://127.0.0.1:30000/v1', name) },
    ],
  };
}

function planLlamaCpp({ name, out, adapter, merged, base }: HandOffFacts): HandOffCommands {
  const file = `${out}/${name}.gguf`;
  const lora = `${out}/${name}-adapter.gguf`;
  const convert =
    merged === undefined
      ? [
          {
            what: 'convert the adapter (in a clone of llama.cpp)',
            command: `python convert_lora_to_gguf.py ${quote(adapter)} --base ${quote(base)} --outfile ${quote(lora)}`,
          },
          {
            what: 'serve it with the base model, converted before to base.gguf',
            command: `llama-server -m base.gguf --lora ${quote(lora)} --port 8081 --alias ${name}`,
          },
        ]
      : [
          {
            what: 'convert (in a clone of llama.cpp, with its requirements.txt installed)',
            command: `python convert_hf_to_gguf.py ${quote(merged)} --outfile ${quote(file)} --outtype auto`,
          },
          { what: 'serve', command: `llama-server -m ${quote(file)} --port 8081 --alias ${name}` },
        ];
  return { files: {}, steps: [...convert, { what: 'ask it', command: ask('http://127.0.0.1:8081/v1', name) }] };
}

function planOllama(facts: HandOffFacts): HandOffCommands {
  const { name, out, merged, base } = facts;
  const tag = name.toLowerCase();
  const weights = merged === undefined ? `FROM ${base}\nADAPTER ./adapter\n` : 'FROM ./merged\n';
  return {
    files: { Modelfile: weights },
    steps: [
      { what: 'make it', command: `ollama create ${tag} -f ${quote(`${out}/Modelfile`)}` },
      {
        what: 'where Ollama does not know the architecture: convert with llama.cpp first (--to llamacpp), and write FROM ./<file>.gguf',
        command: `ollama create ${tag} -f ${quote(`${out}/Modelfile`)}`,
      },
      { what: 'ask it', command: ask('http://127.0.0.1:11434/v1', tag) },
    ],
  };
}

function ask(url: string, model: string): string {
  const body = JSON.stringify({ model, messages: [{ role: 'user', content: 'Hello' }] });
  return `curl ${url}/chat/completions -H 'content-type: application/json' -d '${body}'`;
}

/** For a shell: only what it would take apart is put in quotes. */
const quote = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;
