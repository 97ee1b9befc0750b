import { Buffer } from 'node:buffer';

/** How a secret is planted: what is written, and what must not be found afterwards. */
export interface Planted {
  readonly kind: string;
  /** The text that stands in the field. */
  readonly text: string;
  /** The secret in it. */
  readonly secret: string;
}

const BASE62 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const HEX = '0123456789abcdef';

/** Numbers that a seed decides, so that a failure can be seen again. */
export function createNoise(seed: number): (length: number, alphabet?: string) => string {
  let state = seed >>> 0;
  return (length, alphabet = BASE62) =>
    Array.from({ length }, () => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return alphabet[Math.floor((state / 2 ** 32) * alphabet.length)];
    }).join('');
}

/** Secrets of the sorts people paste, in the surroundings they paste them with; `environment` is known by its value alone. */
export function plantSecrets(count: number, seed: number, environment: string): Planted[] {
  const noise = createNoise(seed);
  const kinds: [kind: string, make: () => Omit<Planted, 'kind'>][] = [
    ['openai', () => inSentence(`sk-proj-${noise(44)}`)],
    ['anthropic', () => inSentence(`sk-ant-api03-${noise(60)}`)],
    ['github', () => inSentence(`ghp_${noise(36)}`)],
    ['aws', () => inSentence(`AKIA${noise(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`)],
    ['google', () => inSentence(`AIza${noise(35)}`)],
    ['hugging-face', () => inSentence(`hf_${noise(34)}`)],
    ['jwt', () => inSentence(`eyJ${noise(20)}.eyJ${noise(40)}.${noise(43)}`)],
    ['noise', () => inSentence(noise(40))],
    ['pem', () => around(noise(64), (key) => `-----BEGIN PRIVATE KEY-----\n${key}\n-----END PRIVATE KEY-----`)],
    ['password', () => around(`Tr0ub4dor-${noise(4)}`, (word) => `export DB_PASSWORD=${word}`)],
    ['hex with a name', () => around(noise(40, HEX), (hex) => `client_secret: "${hex}"`)],
    ['bearer', () => around(noise(24), (key) => `curl -H "Authorization: Bearer ${key}" https://api.example`)],
    ['query', () => around(noise(20, HEX), (key) => `https://api.example/v1?api_key=a1${key}&page=2`)],
    ['address', () => around(`p4ss-${noise(8)}`, (word) => `postgres://app:${word}@db.example:5432/app`)],
    ['json', () => around(`two words ${noise(6)}`, (word) => JSON.stringify({ user: 'ann', password: word }))],
    [
      'json in json',
      () =>
        around(`w0rd-${noise(8)}`, (word) =>
          JSON.stringify({ body: JSON.stringify({ token: word, access_token: word }) }),
        ),
    ],
    ['cookie', () => around(noise(22), (key) => `Set-Cookie: sid=${key}; Path=/; HttpOnly`)],
    ['environment', () => ({ text: `the value is ${environment}, keep it`, secret: environment })],
    [
      'environment in base64',
      () => ({ text: Buffer.from(`app:${environment}`).toString('base64'), secret: environment }),
    ],
    ['canary', () => inSentence(`lachesis-canary-${noise(12)}`)],
  ];
  return Array.from({ length: count }, (_, index) => {
    const [kind, make] = kinds[index % kinds.length]!;
    return { kind, ...make() };
  });
}

const inSentence = (secret: string) => ({ text: `please use ${secret} for this.`, secret });

const around = (secret: string, write: (secret: string) => string) => ({ text: write(secret), secret });
