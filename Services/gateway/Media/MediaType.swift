/// What published objects are to a browser, by their names: what a row or the store says is not believed (SPEC §5).
enum MediaType {
    /// Nothing of what a link answers runs, loads or frames anything, whatever its bytes are.
    static let policy = "default-src 'none'; frame-ancestors 'none'; sandbox"

    private static let byExtension = ["jpg": "image/jpeg", "png": "image/png", "c2pa": "application/c2pa"]

    static func of(_ name: String) -> String {
        name.lastIndex(of: ".").flatMap { byExtension[String(name[name.index(after: $0)...])] } ?? "application/octet-stream"
    }
}
