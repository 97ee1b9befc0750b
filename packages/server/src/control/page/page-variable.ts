/** How the child of a server is told where its page lies. */
export const PAGE_VARIABLE = 'LACHESIS_CHILD_PAGE';
