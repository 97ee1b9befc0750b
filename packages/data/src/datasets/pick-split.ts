import { createHash } from 'node:crypto';

/** Bytes of the digest that make the number: enough for a share of one in 10^14. */
const DIGEST_HEX = 12;

/** A split for the key, the same for the same seed everywhere and in every order. */
export function pickSplit({
  seed,
  shares,
  key,
}: {
  seed: string;
  shares: Readonly<Record<string, number>>;
  key: string;
}): string {
  const names = Object.keys(shares).sort();
  const total = names.reduce((sum, name) => sum + (shares[name] ?? 0), 0);
  const digest = createHash('sha256').update(`${seed}\0${key}`).digest('hex').slice(0, DIGEST_HEX);
  let rest = (Number.parseInt(digest, 16) / 16 ** DIGEST_HEX) * total;
  for (const name of names) {
    rest -= shares[name] ?? 0;
    if (rest < 0) return name;
  }
  return names.at(-1) ?? 'train';
}
