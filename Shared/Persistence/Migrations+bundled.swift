import Foundation

extension Migrator {
    /// The product's own migrations, in order.
    /// - Throws: as ``load(directory:)``.
    public static func bundled() throws -> Migrator {
        Migrator(migrations: try load(directory: Bundle.module.bundleURL.appendingPathComponent("Migrations")))
    }
}
