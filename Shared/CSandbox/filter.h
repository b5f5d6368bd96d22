#ifndef RIAL_CSANDBOX_FILTER_H
#define RIAL_CSANDBOX_FILTER_H

// Allows only the listed system calls in all threads; others fail with EPERM or ENOSYS. Returns 0 or an errno.
// PR_SET_NO_NEW_PRIVS must be set.
int rial_filter_install(void);

#endif
