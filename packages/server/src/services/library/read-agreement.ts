import { LachesisError, type agreementQuerySchema, type FeedbackAgreement } from '@lachesis/protocol';
import { listFeedback, type Store } from '@lachesis/store';
import type { z } from 'zod';
import { measureAgreement } from './measure-agreement.ts';

/** How far judges, or rules, say what people say: each of them, or one by name. */
export async function readAgreement(options: {
  store: Store;
  tenantId: string;
  query: z.output<typeof agreementQuerySchema>;
}): Promise<FeedbackAgreement> {
  const { store, tenantId, query } = options;
  const { by, author } = query;
  const all = await listFeedback({ store, tenantId });
  const authors = new Set(
    all.filter(({ feedback }) => feedback.author_kind === by).map(({ feedback }) => feedback.author),
  );
  if (author !== undefined && !authors.has(author)) {
    throw new LachesisError({
      code: 'not-found',
      message: `${author} has rated nothing. There are: ${[...authors].join(', ') || 'none'}`,
    });
  }
  const names = author === undefined ? [...authors].toSorted() : [author];
  return {
    by,
    agreement: names.map((name) => ({
      author: name,
      ...measureAgreement(
        all.filter(({ feedback }) => feedback.author_kind === 'person' || feedback.author === name),
        by,
      ),
    })),
  };
}
