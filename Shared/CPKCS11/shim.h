#pragma once
// Declarations only: the PKCS#11 module is loaded at run time, so nothing is linked.
#if __has_include(<p11-kit/pkcs11.h>)
#include <p11-kit/pkcs11.h>
#else
#include <p11-kit-1/p11-kit/pkcs11.h>
#endif
