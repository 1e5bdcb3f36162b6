import { useSession } from './api/session';
import { Shell } from './shell/Shell';
import { SignIn } from './signin/SignIn';

export function App() {
  const token = useSession((state) => state.token);
  return token === null ? <SignIn /> : <Shell />;
}
