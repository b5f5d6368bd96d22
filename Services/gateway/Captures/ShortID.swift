/// Eight characters of base62.
enum ShortID {
    private static let alphabet = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")

    static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return String((0..<8).map { _ in alphabet[Int.random(in: 0..<62, using: &generator)] })
    }

    static func isValid(_ text: String) -> Bool { text.utf8.count == 8 && text.allSatisfy(alphabet.contains) }
}
