import CPKCS11

/// Finds the slot of a token.
struct TokenSearch {
    private static let maximumSlots: CK_ULONG = 1_024
    let library: PKCS11Module.Library

    func slot(labelled label: String) throws(TokenProblem) -> CK_SLOT_ID {
        var matching: [CK_SLOT_ID] = []
        var present: [String] = []
        for slot in try slots() {
            // A token that is removed between the list and this call is skipped.
            guard let found = self.label(in: slot) else { continue }
            present.append(found)
            if found == label { matching.append(slot) }
        }
        guard let slot = matching.first else { throw .tokenAbsent(label: label, present: present.filter { !$0.isEmpty }) }
        guard matching.count == 1 else { throw .unfit("\(matching.count) tokens are labelled \"\(label)\"") }
        return slot
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

    /// The token's label without the padding to 32 bytes; `nil` if the slot has none.
    private func label(in slot: CK_SLOT_ID) -> String? {
        var information = CK_TOKEN_INFO()
        guard library.functions.pointee.C_GetTokenInfo?(slot, &information) == CKR_OK else { return nil }
        var bytes = withUnsafeBytes(of: &information.label) { Array($0) }
        while bytes.last == UInt8(ascii: " ") || bytes.last == 0 { bytes.removeLast() }
        return String(decoding: bytes, as: UTF8.self)
    }
}
