// The words of a search in the address, so that a page can be reloaded and shared.

import { useLocation, useSearchParams } from "wouter";

const PARAMETER = "search";

export function useSearchInAddress(): readonly [string, (search: string) => void] {
  const [parameters] = useSearchParams();
  const [location, navigate] = useLocation();
  const set = (search: string) => {
    const next = new URLSearchParams(parameters);
    if (search) next.set(PARAMETER, search);
    else next.delete(PARAMETER);
    navigate(next.size > 0 ? `${location}?${next}` : location, { replace: true });
  };
  return [parameters.get(PARAMETER) ?? "", set];
}
