/// The product's name and version, for device, server and documents.
public enum Product {
    public static let name = "rial."
    public static let version = "1.0.0"
    /// The claim generator in manifests (SPEC §7).
    public static var generator: String { "\(name)/\(version)" }
}
