import type { Random } from '../../simulation/random.ts';
import type { RequestDraft } from './draft-requests.ts';
import { pickNumberText, pickText } from './hostile-values.ts';
import type { DraftOf } from './make-case.ts';
import { writeNoisyJson } from './write-noisy-json.ts';
import type { Json } from './write-noisy-json.ts';

/** The part of a JSON schema that our documents use. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly const?: Json;
  readonly enum?: readonly Json[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly minItems?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly format?: string;
}

interface Operation {
  readonly parameters?: readonly { name: string; in: string; schema?: Schema }[];
  readonly requestBody?: { content: Readonly<Record<string, { schema?: Schema }>> };
}

export interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
}

const MOST_DEPTH = 8;
const WORDS = ['a', 'train', 'user', 'assistant', 'gsm8k', 'default', '0197a8f2', 'x'.repeat(200)];

/** `METHOD /path` of all routes of a document, without the form under `/run`. */
export function listRoutes({ paths }: OpenApi): string[] {
  return Object.entries(paths)
    .filter(([path]) => !path.startsWith('/run/'))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`));
}

/** Requests to every route of a server, from what it says of itself. `rare` are asked a hundredth as often. */
export function createDrafts(
  document: OpenApi,
  options: { headers?: readonly [string, string][]; rare?: readonly string[] } = {},
): DraftOf {
  const { headers = [], rare = [] } = options;
  const routes = listRoutes(document);
  const common = routes.filter((route) => !rare.includes(route));
  return (random) => {
    const route = rare.length > 0 && random.chance(0.01) ? random.pick(rare) : random.pick(common);
    const [method = '', template = ''] = route.split(' ');
    const operation = document.paths[template]?.[method.toLowerCase()];
    const draft: RequestDraft = {
      ...{ route, run: '', method, body: null },
      path: `${fillPath(template, random)}${drawQuery(operation, random)}`,
      headers: [['host', '127.0.0.1'], ...headers],
    };
    const [content] = Object.entries(operation?.requestBody?.content ?? {});
    if (content === undefined) return draft;
    const [type, { schema = {} }] = content;
    const faults = random.pick([0, 0, 0, 0.7, 1, 2]);
    draft.body = Buffer.from(writeNoisyJson(drawValue(schema, random, 0), { random, faults }));
    draft.headers.push(['content-type', type]);
    return draft;
  };
}

const hostile = (random: Random): string => encodeURIComponent(pickText(random).toWellFormed()).slice(0, 2_000) || '-';

const fillPath = (template: string, random: Random): string =>
  template.replaceAll(/\{[a-z_]+\}/g, () => (random.chance(0.5) ? random.pick(WORDS) : hostile(random)));

function drawQuery(operation: Operation | undefined, random: Random): string {
  const fields = (operation?.parameters ?? []).filter((each) => each.in === 'query' && random.chance(0.5));
  if (fields.length === 0) return '';
  const drawn = fields.map(({ name, schema = {} }) => {
    if (random.chance(0.3))
      return `${name}=${random.chance(0.5) ? encodeURIComponent(pickNumberText(random)) : hostile(random)}`;
    const value = drawValue(schema, random, 0);
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return `${name}=${encodeURIComponent(text.toWellFormed())}`;
  });
  return `?${drawn.join('&')}`;
}

function drawValue(schema: Schema, random: Random, depth: number): Json {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return random.pick(schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && choices.length > 0) return drawValue(random.pick(choices), random, depth + 1);
  const type = typeof schema.type === 'string' ? schema.type : random.pick(schema.type ?? ['string', 'object', 'null']);
  switch (type) {
    case 'object':
      return drawObject(schema, random, depth);
    case 'array': {
      if (depth > MOST_DEPTH) return [];
      const length = Math.max(schema.minItems ?? 0, random.below(4));
      return Array.from({ length: Math.min(length, 8) }, () => drawValue(schema.items ?? {}, random, depth + 1));
    }
    case 'integer':
    case 'number': {
      const least = Math.max(schema.minimum ?? 0, -1_000);
      return Math.min(least + random.below(20), Math.max(least, schema.maximum ?? least + 20));
    }
    case 'boolean':
      return random.chance(0.5);
    case 'null':
      return null;
    default:
      return schema.format === 'uuid' ? makeUuid(random) : random.chance(0.9) ? random.pick(WORDS) : pickText(random);
  }
}

function drawObject(schema: Schema, random: Random, depth: number): Json {
  if (depth > MOST_DEPTH) return {};
  const required = new Set(schema.required ?? []);
  const fields = Object.entries(schema.properties ?? {}).filter(([name]) => required.has(name) || random.chance(0.4));
  const extra: [string, Schema][] =
    typeof schema.additionalProperties === 'object' && random.chance(0.5)
      ? [['extra', schema.additionalProperties]]
      : [];
  return Object.fromEntries([...fields, ...extra].map(([name, field]) => [name, drawValue(field, random, depth + 1)]));
}

function makeUuid(random: Random): string {
  const digits = Array.from({ length: 12 }, () => random.below(16).toString(16)).join('');
  return `0197a8f2-0000-7000-8000-${digits}`;
}
