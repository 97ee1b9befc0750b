import { writeTarHeader } from '@lachesis/protocol/codec';
import { gzipSync } from 'node:zlib';

export interface TarEntry {
  name: string;
  data?: Uint8Array | string;
  /** The type character; `0` unless given. */
  type?: string;
  linkName?: string;
  /** A size in the header that is not that of the data. */
  size?: number;
  prefix?: string;
}

const bytesOf = (data: Uint8Array | string): Uint8Array => (typeof data === 'string' ? Buffer.from(data) : data);

const header = ({ data = '', size, prefix = '', ...rest }: TarEntry): Uint8Array =>
  writeTarHeader({ ...rest, prefix, size: size ?? bytesOf(data).byteLength });

/** A tar archive, with its end mark. */
export function makeTar(entries: readonly TarEntry[], { end = true }: { end?: boolean } = {}): Buffer {
  const blocks = entries.flatMap((entry) => {
    const data = bytesOf(entry.data ?? '');
    return [header(entry), data, Buffer.alloc((512 - (data.byteLength % 512)) % 512)];
  });
  return Buffer.concat([...blocks, end ? Buffer.alloc(1024) : Buffer.alloc(0)]);
}

/** The body of an extended header. */
export function makePax(records: Readonly<Record<string, string>>): string {
  return Object.entries(records)
    .map(([key, value]) => {
      const rest = Buffer.byteLength(` ${key}=${value}\n`);
      let length = rest + 1;
      while (String(length).length + rest !== length) length += 1;
      return `${length} ${key}=${value}\n`;
    })
    .join('');
}

export interface TestTensor {
  dtype: string;
  shape: number[];
  data: Uint8Array;
}

/** A safetensors file. */
export function makeSafetensors(tensors: Readonly<Record<string, TestTensor>>): Buffer {
  let offset = 0;
  const entries = Object.entries(tensors).map(([name, { dtype, shape, data }]) => {
    const begin = offset;
    offset += data.byteLength;
    return [name, { dtype, shape, data_offsets: [begin, offset] }];
  });
  const json = Buffer.from(JSON.stringify({ __metadata__: { format: 'pt' }, ...Object.fromEntries(entries) }));
  const prefix = Buffer.alloc(8);
  prefix.writeBigUInt64LE(BigInt(json.byteLength));
  return Buffer.concat([prefix, json, ...Object.values(tensors).map(({ data }) => data)]);
}

export const matrix = (rows: number, columns: number, value = 0.5): TestTensor => ({
  dtype: 'F32',
  shape: [rows, columns],
  data: new Uint8Array(new Float32Array(rows * columns).fill(value).buffer),
});

/** A LoRA of rank 2 over two layers of the given modules. */
export function makeAdapterTensors(modules: readonly string[] = ['self_attn.q_proj', 'mlp.down_proj']): Buffer {
  const tensors: Record<string, TestTensor> = {};
  for (const layer of [0, 1]) {
    for (const module of modules) {
      const name = `base_model.model.model.layers.${layer}.${module}`;
      tensors[`${name}.lora_A.weight`] = matrix(2, 8);
      tensors[`${name}.lora_B.weight`] = matrix(4, 2);
    }
  }
  return makeSafetensors(tensors);
}

/** A config as the engine writes it: without the modules. */
export const engineConfig = JSON.stringify({
  peft_type: 'LORA',
  base_model_name_or_path: '/models/tiny',
  r: 2,
  lora_alpha: 32,
  target_modules: null,
});

/** An archive as SkyRL makes it with Python's tarfile: extended headers, and a root directory called `/`. */
export function makeEngineArchive({
  config = engineConfig,
  tensors = makeAdapterTensors(),
  folder = '',
}: { config?: string; tensors?: Uint8Array; folder?: string } = {}): Buffer {
  const times = { name: '././@PaxHeader', type: 'x', data: makePax({ mtime: '1700000000.25' }) };
  return gzipSync(
    makeTar([
      times,
      { name: '/', type: '5' },
      times,
      { name: `${folder}adapter_config.json`, data: config },
      { name: `${folder}README.md`, data: 'hello' },
      times,
      { name: `${folder}adapter_model.safetensors`, data: tensors },
    ]),
    { level: 0 },
  );
}
