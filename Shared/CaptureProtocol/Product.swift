/// What device, server and documents call this.
public enum Product {
    public static let name = "rial."
    public static let version = "1.0.0"
    /// As manifests name their generator (SPEC §7).
    public static var generator: String { "\(name)/\(version)" }
}
