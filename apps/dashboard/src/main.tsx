import '../design.css';
import './parts/parts.css';
import './shell/shell.css';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { createQueryClient } from './api/query-client.ts';
import { openSession } from './api/session.ts';
import { createPageRouter } from './routes.tsx';
import { applyScheme } from './shell/scheme.ts';

applyScheme();
// The code in the address is traded and taken out of it before the router reads the address.
void openSession().then(() => {
  const place = document.querySelector('#page');
  if (place === null) throw new Error('index.html has no element with the id "page"');
  const queries = createQueryClient();
  createRoot(place).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={createPageRouter(queries)} />
      </QueryClientProvider>
    </StrictMode>,
  );
});
