/** The name under which this browser rates and promotes; the rating page keeps the same. */
const STORED = 'lachesis.author';

export const readAuthor = (): string => localStorage.getItem(STORED) ?? 'me';
export const writeAuthor = (name: string): void => localStorage.setItem(STORED, name);
