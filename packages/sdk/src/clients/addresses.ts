/** Servers that are the same to a client: it stays with one until that one is away. */
export interface Addresses {
  readonly size: number;
  current(): string;
  /** This one is away: the next is asked from now on. Fine when somebody else has gone on already. */
  skip(address: string): void;
}

/** Reads one address, or several that are separated by commas. */
export function readAddresses(text: string): Addresses {
  const all = text.split(/,(?=\s*https?:\/\/)/).map((address) => address.trim().replace(/\/+$/, ''));
  let index = 0;
  const current = (): string => all[index] ?? text;
  return {
    size: all.length,
    current,
    skip(address) {
      if (address === current()) index = (index + 1) % all.length;
    },
  };
}
