/** The rail: one noun a page, with the letter that goes there behind `g`. */
export interface Noun {
  readonly to: string;
  readonly name: string;
  readonly key: string;
}

export const NOUNS: readonly (readonly Noun[])[] = [
  [
    { to: '/', name: 'Now', key: 'h' },
    { to: '/runs', name: 'Runs', key: 'r' },
    { to: '/trajectories', name: 'Trajectories', key: 't' },
    { to: '/compare', name: 'Compare', key: 'c' },
    { to: '/rate', name: 'Rate', key: 'a' },
  ],
  [
    { to: '/data', name: 'Data', key: 'd' },
    { to: '/models', name: 'Models', key: 'm' },
    { to: '/lineage', name: 'Lineage', key: 'l' },
    { to: '/environments', name: 'Environments', key: 'e' },
  ],
  [
    { to: '/cost', name: 'Cost', key: '$' },
    { to: '/system', name: 'System', key: 's' },
  ],
];
