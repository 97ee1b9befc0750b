import { quoteWords } from '../ssh/quote-words.ts';

export interface OrderOptions {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** The command's input, open in the shell that reads the order. */
  readonly inputDescriptor: number;
  readonly statusDescriptor: number;
  /** Still open in the shell, and nobody's. */
  readonly spareDescriptors: readonly number[];
}

/** Said by a shell that stands inside and waits. */
export const writeGreeting = (statusDescriptor: number): string => `echo ready >&${statusDescriptor}\n`;

/**
 * What a waiting shell is told: one group, which it reads to the end before it begins, since its own input is gone then.
 * `up` comes first and out of the command's reach, so a world that could not be built is never taken for the command's
 * failure, nor the other way round. A program that is not there is told by the shell: 127.
 */
export function writeOrder(options: OrderOptions): string {
  const { argv, cwd, env, inputDescriptor, statusDescriptor, spareDescriptors } = options;
  const variables = Object.entries(env).map(([name, value]) => `${name}=${value}`);
  // By env, since a shell drops names that it does not take for variables, and changes some of its own.
  const words = variables.length === 0 ? argv : ['env', ...variables, ...asProgram(argv)];
  const closed = [...spareDescriptors.map((each) => `${each}<&-`), `${statusDescriptor}>&-`];
  return [
    `{ echo up >&${statusDescriptor}`,
    `exec ${closed.join(' ')} 0<&${inputDescriptor} ${inputDescriptor}<&-`,
    `cd -- ${quoteWords([cwd])} || exit 1; unset OLDPWD`,
    `exec ${quoteWords(words)}`,
    'exit 127; }\n',
  ].join('; ');
}

/** env takes a first word with an equals sign for one more variable. */
const asProgram = (argv: readonly string[]): readonly string[] =>
  argv[0]?.includes('=') === true ? ['/bin/sh', '-c', 'exec "$@"', 'sh', ...argv] : argv;
