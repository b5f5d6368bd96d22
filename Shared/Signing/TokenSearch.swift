import CPKCS11

/// Finds a token by its label.
struct TokenSearch {
    /// A token that is present.
    struct Token {
        let slot: CK_SLOT_ID
        let label: String
        let flags: CK_FLAGS
    }

    private static let maximumSlots: CK_ULONG = 1_024
    let library: PKCS11Module.Library

    func token(labelled label: String) throws(TokenProblem) -> Token {
        var matching: [Token] = []
        var present: [String] = []
        for slot in try slots() {
            // A token that is removed between the list and this call is skipped.
            guard let token = self.token(in: slot) else { continue }
            present.append(token.label)
            if token.label == label { matching.append(token) }
        }
        guard let token = matching.first else { throw .tokenAbsent(label: label, present: present.filter { !$0.isEmpty }) }
        guard matching.count == 1 else { throw .unfit("\(matching.count) tokens are labelled \"\(label)\"") }
        return token
    }

    private func slots() throws(TokenProblem) -> [CK_SLOT_ID] {
        var count: CK_ULONG = 0
        try library.call("C_GetSlotList") { $0.C_GetSlotList?(CK_BBOOL(1), nil, &count) }
        // Room for tokens that are inserted between the two calls.
        count = min(count, Self.maximumSlots) + 16
        var slots = [CK_SLOT_ID](repeating: 0, count: Int(count))
        try library.call("C_GetSlotList") { $0.C_GetSlotList?(CK_BBOOL(1), &slots, &count) }
        return Array(slots.prefix(Int(min(count, CK_ULONG(slots.count)))))
    }

    /// The token, its label without the padding to 32 bytes; `nil` if the slot has none.
    private func token(in slot: CK_SLOT_ID) -> Token? {
        var information = CK_TOKEN_INFO()
        guard library.functions.pointee.C_GetTokenInfo?(slot, &information) == CKR_OK else { return nil }
        var bytes = withUnsafeBytes(of: &information.label) { Array($0) }
        while bytes.last == UInt8(ascii: " ") || bytes.last == 0 { bytes.removeLast() }
        return Token(slot: slot, label: String(decoding: bytes, as: UTF8.self), flags: information.flags)
    }
}
