// How the member signs in: email address, password and linked accounts.

import { AccountFrame } from "./account_frame";
import { EmailSection } from "./email_section";
import { PasswordSection } from "./password_section";
import { ProvidersSection } from "./providers_section";

export default function AccountSignInPage() {
  return (
    <AccountFrame>
      <EmailSection />
      <PasswordSection />
      <ProvidersSection />
    </AccountFrame>
  );
}
