package io.encbench.conformance;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/**
 * The bank through one library: {@code Main LIBRARY URL USER PASSWORD_FILE FOLDER}.
 *
 * <p>What it prints must not depend on the way to the server. The folder has the schema's files,
 * for the library that makes the schema.
 */
public final class Main {
  private static final Map<String, Library> LIBRARIES =
      Map.of(
          "callable", new Callables(),
          "template", new Templates(),
          "mybatis", new Mappers(),
          "hikari", new Pool(),
          "hibernate", new Entities(),
          "flyway", new Migrations());

  private Main() {}

  public static void main(String[] words) throws Exception {
    HikariConfig config = new HikariConfig();
    config.setJdbcUrl(words[1]);
    config.setUsername(words[2]);
    config.setPassword(Files.readString(Path.of(words[3])).strip());
    config.setMaximumPoolSize(4);
    try (HikariDataSource source = new HikariDataSource(config)) {
      LIBRARIES.get(words[0]).run(source, Path.of(words[4]), new Report(System.out));
    }
  }
}
