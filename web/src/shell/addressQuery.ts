import { useSearch } from 'wouter/use-browser-location';

/** The query of the address, decoded once: the router's own hook decodes its text before it is taken apart. */
export function useAddressQuery(): URLSearchParams {
  return new URLSearchParams(useSearch());
}
