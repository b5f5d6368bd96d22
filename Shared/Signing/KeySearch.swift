import CPKCS11

/// Finds a key on a token and reads its attributes.
struct KeySearch {
    private static let maximumAttributeBytes = 4_096
    let session: CK_SESSION_HANDLE
    let library: PKCS11Module.Library

    /// Finds the only private key with this label. It must match the algorithm and must not be exportable: sensitive, not extractable.
    func privateKey(labelled label: String, for algorithm: SigningAlgorithm) throws(TokenProblem) -> CK_OBJECT_HANDLE {
        let key = try object(CKO_PRIVATE_KEY, labelled: label)
        guard try number(CKA_KEY_TYPE, of: key) == (algorithm == .ed25519 ? CKK_EC_EDWARDS : CKK_EC) else {
            throw .unfit("the private key \"\(label)\" is not of the certificate's type (\(algorithm.rawValue))")
        }
        let defect: String? =
            if try flag(CKA_EXTRACTABLE, of: key) != false {
                "is extractable (CKA_EXTRACTABLE)"
            } else if try flag(CKA_SENSITIVE, of: key) != true {
                "is not sensitive (CKA_SENSITIVE)"
            } else if try flag(CKA_SIGN, of: key) != true {
                "may not sign (CKA_SIGN)"
            } else {
                nil
            }
        if let defect { throw .unfit("the private key \"\(label)\" \(defect)") }
        return key
    }

    /// Finds the only object with this class and label.
    func object(_ objectClass: CK_OBJECT_CLASS, labelled label: String) throws(TokenProblem) -> CK_OBJECT_HANDLE {
        var objectClass = objectClass
        var text = Array(label.utf8)
        var found = [CK_OBJECT_HANDLE](repeating: 0, count: 2)
        var count: CK_ULONG = 0
        let textLength = CK_ULONG(text.count)
        let code = withUnsafeMutablePointer(to: &objectClass) { objectClass in
            text.withUnsafeMutableBytes { text in
                var template = [
                    CK_ATTRIBUTE(type: CKA_CLASS, pValue: objectClass, ulValueLen: CK_ULONG(MemoryLayout<CK_OBJECT_CLASS>.size)),
                    CK_ATTRIBUTE(type: CKA_LABEL, pValue: text.baseAddress, ulValueLen: textLength),
                ]
                return library.functions.pointee.C_FindObjectsInit?(session, &template, CK_ULONG(template.count))
            }
        }
        guard code == CKR_OK else {
            throw .failure(PKCS11Failure(function: "C_FindObjectsInit", code: code ?? CKR_FUNCTION_NOT_SUPPORTED))
        }
        defer { _ = library.functions.pointee.C_FindObjectsFinal?(session) }
        try library.call("C_FindObjects") { $0.C_FindObjects?(session, &found, CK_ULONG(found.count), &count) }
        guard count > 0, let first = found.first else { throw .keyAbsent(label: label) }
        guard count == 1 else { throw .unfit("the token holds several keys \"\(label)\"") }
        return first
    }

    func flag(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenProblem) -> Bool? {
        let value = try attribute(type, of: object)
        return value.count == 1 ? value.first != 0 : nil
    }

    func number(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenProblem) -> CK_ULONG? {
        let value = try attribute(type, of: object)
        guard value.count == MemoryLayout<CK_ULONG>.size else { return nil }
        return value.withUnsafeBytes { $0.loadUnaligned(as: CK_ULONG.self) }
    }

    /// - Throws: CKR_ATTRIBUTE_SENSITIVE for an attribute that the token does not reveal.
    func attribute(_ type: CK_ATTRIBUTE_TYPE, of object: CK_OBJECT_HANDLE) throws(TokenProblem) -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: Self.maximumAttributeBytes)
        var length: CK_ULONG = 0
        let capacity = CK_ULONG(buffer.count)
        let code = buffer.withUnsafeMutableBytes { bytes in
            var attribute = CK_ATTRIBUTE(type: type, pValue: bytes.baseAddress, ulValueLen: capacity)
            let code = library.functions.pointee.C_GetAttributeValue?(session, object, &attribute, 1)
            length = attribute.ulValueLen
            return code
        }
        // An unreadable attribute has the length CK_UNAVAILABLE_INFORMATION.
        guard code == CKR_OK, length <= capacity else {
            throw .failure(PKCS11Failure(function: "C_GetAttributeValue", code: code ?? CKR_FUNCTION_NOT_SUPPORTED))
        }
        return Array(buffer.prefix(Int(length)))
    }
}
