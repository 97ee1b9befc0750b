/** The name under which this browser rates, chooses and promotes. */
const STORED = 'lachesis.author';

export const readAuthor = (): string => localStorage.getItem(STORED) ?? 'me';
export const writeAuthor = (name: string): void => localStorage.setItem(STORED, name);
