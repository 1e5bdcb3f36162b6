import { Link, useLocation } from 'wouter';
import mark from './firn.svg';
import { pageAt, usePages } from './pages';
import './Rail.css';

/** The way between pages: at the left, or at the bottom of a narrow window. */
export function Rail() {
  const [location] = useLocation();
  const pages = usePages();
  const current = pageAt(location);
  return (
    <nav className="rail" aria-label="Pages" data-part="pages">
      <img className="rail-mark" src={mark} alt="firn" width={26} height={26} />
      {pages.map((page) => (
        <Link
          key={page.path}
          href={page.path}
          className="rail-link"
          aria-current={page === current ? 'page' : undefined}
        >
          <page.icon size={18} aria-hidden="true" />
          <span>{page.name}</span>
        </Link>
      ))}
    </nav>
  );
}
