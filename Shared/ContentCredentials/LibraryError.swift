import CC2PA

/// The library's last error on the calling thread; read it right after a call on this thread failed.
struct LibraryError {
    /// "Name: what happened".
    let text: String

    static var last: LibraryError {
        // NULL also if the message contains a zero byte.
        guard let message = c2pa_error() else { return LibraryError(text: "Other: unknown error") }
        defer { c2pa_free(message) }
        let text = String(cString: message)
        return LibraryError(text: text.isEmpty ? "Other: unknown error" : text.cut(to: 1000))
    }

    var name: String { String(text.prefix { $0 != ":" }.prefix(40)) }

    /// Whether a call of the system failed, as on a disk that is full. Media that end too early have errors of the same name without a
    /// number, and those that name a position before their beginning have EINVAL.
    var isOfSystem: Bool { name == "Io" && text.contains("(os error ") && !text.contains("(os error 22)") }
}
